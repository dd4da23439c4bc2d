import type { SettingsReader } from "../../../settings/settings.ts";

/** The groups a user may choose for a token: group → description. Those of UserUsableGroups, and always their own. */
export function usableGroups(settings: SettingsReader, ownGroup: string): ReadonlyMap<string, string> {
  const shared = settings.get("UserUsableGroups");
  return shared.has(ownGroup) ? shared : new Map([...shared, [ownGroup, ownGroup]]);
}
