import type { OscalAlteration, OscalControl, OscalParameter, OscalPart, OscalProfile } from './oscal-model.ts';

type Setting = OscalProfile['modify']['set-parameters'][number];
type Removal = OscalAlteration['removes'][number];
type Addition = OscalAlteration['adds'][number];

/** Returns a parameter as a profile sets it. Each member that the profile gives replaces the catalog's. */
export function setParameter(parameter: OscalParameter, settings: ReadonlyMap<string, Setting>): OscalParameter {
  const setting = settings.get(parameter.id);
  if (setting === undefined) return parameter;
  const { 'param-id': _id, ...values } = setting;
  return { ...parameter, ...values };
}

/** Returns a control with a profile's alteration: first without what it removes, then with what it adds. */
export function alteredControl(control: OscalControl, { removes, adds }: OscalAlteration): OscalControl {
  return adds.reduce(withAddition, removes.reduce(withoutRemoved, control));
}

function withoutRemoved(control: OscalControl, removal: Removal): OscalControl {
  const isKept = (kind: string) => (item: RemovableItem) => !isRemoved(kind, item, removal);
  const keepParts = (parts: readonly OscalPart[]): OscalPart[] =>
    parts
      .filter(isKept('part'))
      .map((part) => ({ ...part, props: part.props.filter(isKept('prop')), parts: keepParts(part.parts) }));
  return {
    ...control,
    props: control.props.filter(isKept('prop')),
    params: control.params.filter(isKept('param')),
    parts: keepParts(control.parts),
  };
}

interface RemovableItem {
  id?: string | undefined;
  name?: string | undefined;
  class?: string | undefined;
  ns?: string | undefined;
}

/** Returns true if an item has everything that a removal names. A removal that names nothing removes nothing. */
function isRemoved(kind: string, item: RemovableItem, removal: Removal): boolean {
  const conditions = [
    [removal['by-item-name'], kind],
    [removal['by-name'], item.name],
    [removal['by-id'], item.id],
    [removal['by-class'], item.class],
    [removal['by-ns'], item.ns],
  ].filter(([wanted]) => wanted !== undefined);
  return conditions.length > 0 && conditions.every(([wanted, value]) => wanted === value);
}

function withAddition(control: OscalControl, addition: Addition): OscalControl {
  const id = addition['by-id'];
  if (id !== undefined && id !== control.id)
    return { ...control, parts: partsWithAddition(control.parts, id, addition) };
  return {
    ...control,
    title: addition.title ?? control.title,
    ...joined(control, addition),
    params: isFirst(addition) ? [...addition.params, ...control.params] : [...control.params, ...addition.params],
  };
}

function partsWithAddition(parts: readonly OscalPart[], id: string, addition: Addition): OscalPart[] {
  return parts.flatMap((part) => {
    if (part.id !== id) return [{ ...part, parts: partsWithAddition(part.parts, id, addition) }];
    if (addition.position === 'before') return [...addition.parts, part];
    if (addition.position === 'after') return [part, ...addition.parts];
    return [{ ...part, title: addition.title ?? part.title, ...joined(part, addition) }];
  });
}

/** Returns the props and parts of a control or a part with added ones before or behind them. */
function joined({ props, parts }: Pick<OscalPart, 'props' | 'parts'>, addition: Addition) {
  return isFirst(addition)
    ? { props: [...addition.props, ...props], parts: [...addition.parts, ...parts] }
    : { props: [...props, ...addition.props], parts: [...parts, ...addition.parts] };
}

function isFirst({ position }: Addition): boolean {
  return position === 'before' || position === 'starting';
}
