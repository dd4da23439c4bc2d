import type { UserView } from "../../../src/domain/accounts/users/user-view.ts";
import { readEnvelope } from "../../api/client.ts";
import { userSelfApi } from "../../api/groups.ts";

/** What users set for themselves; secrets come as flags. */
export type UserSetting = Readonly<Record<string, unknown>>;

/** The settings of a user, which the server keeps as text. */
export function readSetting({ setting }: UserView): UserSetting {
  try {
    return JSON.parse(setting) as UserSetting;
  } catch {
    return {};
  }
}

/** Saves some settings; the others stay. */
export const saveSetting = (changes: UserSetting) => readEnvelope(userSelfApi.setting.put(changes));
