import type { SettingsReader } from "../../../settings/settings.ts";

/** What a key has as its group to use the site's ordered list, the option AutoGroups. */
export const AUTO_GROUP = "auto";
/** Groups that a key may name. */
export const MOST_KEY_GROUPS = 10;

/** The names in the group of a key, in order: several are separated by commas. */
export const namesInGroup = (group: string): string[] => [
  ...new Set(
    group
      .split(",")
      .map((name) => name.trim())
      .filter(Boolean),
  ),
];

/** Whether the group of a key stands for several, tried in order; one that is called auto is a group like others. */
export const isGroupList = (settings: SettingsReader, group: string): boolean =>
  group.includes(",") || (group === AUTO_GROUP && !settings.get("GroupRatio").has(AUTO_GROUP));

/** The groups of a key that its owner may use and that have a price, in the order in which they are tried. */
export function usableInOrder(settings: SettingsReader, ownGroup: string, group: string): string[] {
  const usable = usableGroups(settings, ownGroup);
  const ratios = settings.get("GroupRatio");
  const listed = namesInGroup(group).flatMap((name) =>
    name === AUTO_GROUP && !ratios.has(name) ? settings.get("AutoGroups") : [name],
  );
  return [...new Set(listed)].filter((name) => usable.has(name) && ratios.has(name));
}

/** The groups a user may choose for a token: group → description. Those of UserUsableGroups, and always their own. */
export function usableGroups(settings: SettingsReader, ownGroup: string): ReadonlyMap<string, string> {
  const shared = settings.get("UserUsableGroups");
  return shared.has(ownGroup) ? shared : new Map([...shared, [ownGroup, ownGroup]]);
}
