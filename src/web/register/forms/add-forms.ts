import type { Permission } from '../../../commands/organization/permissions.ts';
import type { FamilyDescription } from '../../../register/family-description.ts';
import type { Fields } from '../../../register/field.ts';
import { FRAMEWORK } from '../../../register/framework.ts';
import { familyNoun, ORDERED_FAMILIES } from '../rail-links.ts';

/** The form that adds a record of a family. */
export interface AddForm {
  family: FamilyDescription;
  tool: string;
  permission: Permission;
  /** The fields of the form, as far as they are inputs of the tool. */
  fields: Fields;
  button: string;
}

/** The names of the library's frameworks. They stand here because a start doesn't read the library. */
export const LIBRARY_NAMES: Readonly<Record<string, string>> = {
  ISO_27001_2022: 'ISO/IEC 27001:2022',
  NIST_CSF_2_0: 'NIST Cybersecurity Framework (CSF) 2.0',
  NIST_800_53_R5_HIGH: 'NIST SP 800-53 Revision 5, HIGH baseline',
  SOC2_2017: 'SOC 2 Trust Services Criteria',
  GDPR: 'General Data Protection Regulation (GDPR)',
};

/** The forms of the families whose records people add. Controls come with their framework. */
export const ADD_FORMS: readonly AddForm[] = ORDERED_FAMILIES.flatMap((family): AddForm[] => {
  if (family.type === FRAMEWORK.type) return [adoptFramework(family)];
  const { add } = family.tools;
  if (add === undefined) return [];
  const button = `Add ${familyNoun(family)}`;
  return [{ family, tool: add.name, permission: 'changeRecords', fields: family.fields, button }];
});

/** Returns the form that adds a record of a family; undefined if there is none. */
export function addFormOf({ type }: Pick<FamilyDescription, 'type'>): AddForm | undefined {
  return ADD_FORMS.find(({ family }) => family.type === type);
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
