import { queryOptions } from "@tanstack/react-query";
import { request } from "../../api/client.ts";
import type { setupBody } from "./setup-form.ts";

type SetupStatus = Readonly<{
  /** Whether the gateway is set up. */
  status: boolean;
  /** Whether there is an administrator. */
  root_init: boolean;
  database_type: string;
}>;

export const setupStatus = queryOptions({
  queryKey: ["setup"],
  queryFn: async ({ signal }) => (await request<SetupStatus>("/api/setup", { signal, stayOn401: true })).data,
});

export const finishSetup = (body: ReturnType<typeof setupBody>) =>
  request<null>("/api/setup", { method: "POST", body, stayOn401: true });
