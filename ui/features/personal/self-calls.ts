import { queryOptions } from "@tanstack/react-query";
import type { UserView } from "../../../src/domain/accounts/user-view.ts";
import { request } from "../../api/client.ts";

/** The account of whoever is signed in. */
export const self = queryOptions({
  queryKey: ["self"],
  queryFn: async ({ signal }) => (await request<UserView>("/api/user/self", { signal })).data,
});

export const changePassword = (original: string, password: string) =>
  request<null>("/api/user/self", { method: "PUT", body: { original_password: original, password } });

/** Makes a new system access token, which ends the old one, and returns it. */
export const makeAccessToken = async (): Promise<string> => (await request<string>("/api/user/token")).data;

export const saveDisplayName = (name: string) =>
  request<null>("/api/user/self", { method: "PUT", body: { display_name: name } });

export const bindEmail = (email: string, code: string) =>
  request<null>("/api/oauth/email/bind", { query: { email, code } });

/** Unbinds an address or an account elsewhere. */
export const unbind = (what: string) => request<null>(`/api/user/bindings/${what}`, { method: "DELETE" });

export const deleteAccount = () => request<null>("/api/user/self", { method: "DELETE" });
