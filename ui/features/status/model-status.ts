import { queryOptions } from "@tanstack/react-query";
import type { ModelStatus } from "../../../src/console/model-status.ts";
import { request } from "../../api/client.ts";

export type { ModelStatus };

const ASK_EVERY_MS = 60_000;

/** How the models do; `userId` keeps what a visitor saw apart. */
export const modelStatus = (userId: number | undefined) =>
  queryOptions({
    queryKey: ["model-status", userId ?? "visitor"],
    queryFn: async ({ signal }) =>
      (await request<{ days: number; models: ModelStatus[] }>("/api/status/models", { signal, stayOn401: true })).data,
    refetchInterval: ASK_EVERY_MS,
  });

const WHOLE = 10_000;

/** "99.93 %" of a share in ten-thousandths. */
export const percent = (share: number, language: string): string =>
  new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 2 }).format(share / WHOLE);
