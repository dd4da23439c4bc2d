import { queryOptions } from "@tanstack/react-query";
import type { ModelStatus } from "../../../src/console/models/model-status.ts";
import { readData } from "../../api/client.ts";
import { modelStatusApi } from "../../api/groups.ts";

export type { ModelStatus };

const ASK_EVERY_MS = 60_000;

/** How the models do; `userId` keeps what a visitor saw apart. */
export const modelStatus = (userId: number | undefined) =>
  queryOptions({
    queryKey: ["model-status", userId ?? "visitor"],
    queryFn: ({ signal }) => readData(modelStatusApi.models.get({ fetch: { signal } }), { stayOn401: true }),
    refetchInterval: ASK_EVERY_MS,
  });

const WHOLE = 10_000;

/** "99.93 %" of a share in ten-thousandths. */
export const percent = (share: number, language: string): string =>
  new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 2 }).format(share / WHOLE);
