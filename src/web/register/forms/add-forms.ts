import { organizationAddress } from '../../../addresses/page-addresses.ts';
import type { Permission } from '../../../commands/organization/permissions.ts';
import { CONTROL } from '../../../register/control.ts';
import { EVIDENCE } from '../../../register/evidence.ts';
import { linkablePrefixes } from '../../../register/families.ts';
import type { FamilyDescription } from '../../../register/family-description.ts';
import type { Fields } from '../../../register/field.ts';
import { FRAMEWORK } from '../../../register/framework.ts';
import { familyNoun, ORDERED_FAMILIES } from '../rail-links.ts';
import { LINKED_RECORDS } from './link-fields.ts';

/** The form that adds a record of a family. */
export interface AddForm {
  family: FamilyDescription;
  tool: string;
  permission: Permission;
  /** The fields of the form, as far as they are inputs of the tool. */
  fields: Fields;
  button: string;
  /** The field with the records to link the new one with; absent if it has another way. */
  links?: Fields;
}

/** The name of the field with the records to link a new one with, as in the form that links. */
export const LINKED_INPUT = 'to_id';

/** The names of the library's frameworks. They stand here because a start doesn't read the library. */
export const LIBRARY_NAMES: Readonly<Record<string, string>> = {
  ISO_27001_2022: 'ISO/IEC 27001:2022',
  NIST_CSF_2_0: 'NIST Cybersecurity Framework (CSF) 2.0',
  NIST_800_53_R5_HIGH: 'NIST SP 800-53 Revision 5, HIGH baseline',
  SOC2_2017: 'SOC 2 Trust Services Criteria',
  GDPR: 'General Data Protection Regulation (GDPR)',
};

/** The button that replaces a piece names it, so no form asks for it. */
const { replaces: _replaces, ...evidenceFields } = EVIDENCE.fields;
const { name, url, text, sha256, collected_at, valid_until } = evidenceFields;

/** The inputs of evidence with hints for people: one of three says what it is. */
export const EVIDENCE_INPUTS: Fields = {
  ...evidenceFields,
  name: { ...name, note: 'a name by which an auditor finds it, such as “Restore test, May”' },
  url: { ...url, note: 'the web address where it is kept. Give this, a text or the digest of a file' },
  text: { ...text, note: 'its words, if they are to be kept here' },
  sha256: { ...sha256, note: 'the digest of a file that is kept elsewhere: 64 characters, 0 to 9 and a to f' },
  collected_at: { ...collected_at, note: 'the day on which it was made' },
  valid_until: { ...valid_until, note: 'the last day on which it counts. Without one it never expires' },
};

/** The forms of the families whose records people add. */
export const ADD_FORMS: readonly AddForm[] = ORDERED_FAMILIES.flatMap((family): AddForm[] => {
  if (family.type === FRAMEWORK.type) return [adoptFramework(family)];
  const { add } = family.tools;
  if (add === undefined) return [];
  const button = `Add ${familyNoun(family)}`;
  const form = { family, tool: add.name, permission: 'changeRecords', button } as const;
  if (family.type === EVIDENCE.type) return [{ ...form, fields: EVIDENCE_INPUTS }];
  // Every family is linked with evidence, which has a form of its own.
  const isLinkable = linkablePrefixes(family.prefix).some((prefix) => prefix !== EVIDENCE.prefix);
  return [{ ...form, fields: family.fields, ...(isLinkable ? { links: { [LINKED_INPUT]: LINKED_RECORDS } } : {}) }];
});

/** Returns the form that adds a record of a family; undefined if there is none. */
export function addFormOf({ type }: Pick<FamilyDescription, 'type'>): AddForm | undefined {
  return ADD_FORMS.find(({ family }) => family.type === type);
}

/** Returns the form by which records of a family come into the register. Controls come with a framework. */
export function entryFormOf(family: Pick<FamilyDescription, 'type'>): AddForm | undefined {
  return addFormOf(family.type === CONTROL.type ? FRAMEWORK : family);
}

export function addFormAddress({ id }: { id: string }, { family }: AddForm): string {
  return organizationAddress(id, `/${family.plural}/add`);
}

/** Adopts a framework of the library. Own catalogs come by files. */
function adoptFramework(family: FamilyDescription): AddForm {
  const values = Object.keys(LIBRARY_NAMES);
  const library: Fields = {
    library_id: { kind: 'enum', label: 'Framework', required: true, values, labels: LIBRARY_NAMES },
  };
  const fields = { ...library, owner_id: FRAMEWORK.fields.owner_id };
  return { family, tool: 'addFramework', permission: 'adoptFrameworks', fields, button: 'Adopt framework' };
}
