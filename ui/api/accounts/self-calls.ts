import { queryOptions } from "@tanstack/react-query";
import type { UserView } from "../../../src/domain/accounts/users/user-view.ts";
import { readRecord } from "../../lib/json.ts";
import { readData, readEnvelope } from "../client.ts";
import { bindingApi, userSelfApi } from "../groups.ts";

/** The account of whoever is signed in. */
export const self = queryOptions({
  queryKey: ["self"],
  queryFn: ({ signal }) => readData(userSelfApi.self.get({ fetch: { signal } })),
});

export const changePassword = (original: string, password: string) =>
  readData(userSelfApi.self.put({ original_password: original, password }));

export const saveDisplayName = (name: string) => readData(userSelfApi.self.put({ display_name: name }));

export const bindEmail = (email: string, code: string) =>
  readEnvelope(bindingApi.oauth.email.bind.get({ query: { email, code } }));

/** Unlinks an email address or a sign-in service. */
export const unbind = (what: string) => readEnvelope(bindingApi.user.bindings({ provider: what }).delete());

/** Deletes the user's own account; `username` is its name, typed again. */
export const deleteAccount = (username: string) => readData(userSelfApi.self.delete({ username }));

/** The user's own settings; secrets are only flags. */
export type UserSetting = Readonly<Record<string, unknown>>;

/** Parses a user's settings, which the server stores as text. */
export const readSetting = ({ setting }: UserView): UserSetting => readRecord(setting) ?? {};

/** Saves the given settings; the others stay unchanged. */
export const saveSetting = (changes: UserSetting) => readEnvelope(userSelfApi.setting.put(changes));
