/** The last name of a subject: `filter` of `OrderTools.find(query).filter[]`. */
export function lastName(subject: string): string {
  return /(\w+)\W*$/.exec(subject)?.[1] ?? "";
}
