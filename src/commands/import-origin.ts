/** Where an imported record's past decision comes from. */
export interface ImportOrigin {
  /** The id of the name of the person who decided, if they have no account. */
  name_id: string | null;
  /** Row and file, such as `row 12 of suppliers.xlsx`. */
  source: string | null;
}

/** Returns the origin with its members in a fixed order. */
export function toImportOrigin({ name_id, source }: ImportOrigin): ImportOrigin {
  return { name_id, source };
}
