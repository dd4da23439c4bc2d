import type { TFunction } from "i18next";

/** Rights in words, by resource: "Users (Read, Write), Audit log (Read)". */
export function rightsText(rights: readonly string[], t: TFunction): string {
  const byResource = Map.groupBy(rights, (right) => right.split(":")[0]);
  return Array.from(byResource, ([resource, own]) => {
    const verbs = own.map((right) => t(`access.rights.verbs.${right.split(":")[1]}`));
    return `${t(`access.rights.resources.${resource}`)} (${verbs.join(", ")})`;
  }).join(", ");
}
