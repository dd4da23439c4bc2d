import { queryOptions } from "@tanstack/react-query";
import { readData } from "../../api/client.ts";
import { setupApi } from "../../api/groups.ts";
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
  queryFn: ({ signal }): Promise<SetupStatus> => readData(setupApi.get({ fetch: { signal } }), { stayOn401: true }),
});

export const finishSetup = (body: ReturnType<typeof setupBody>) => readData(setupApi.post(body), { stayOn401: true });
