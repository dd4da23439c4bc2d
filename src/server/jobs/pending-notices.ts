import type { Notifier } from "../../domain/notifications/notifier.ts";
import { nowSeconds } from "../../lib/clock.ts";
import type { Logger } from "../../lib/runtime/log.ts";
import { every } from "./every.ts";

const EVERY_MS = 30_000;

/** Hands notices over that could not be handed over at once. Returns what ends it. */
export const startNoticeJob = ({ notifier, log }: Readonly<{ notifier: Notifier; log: Logger }>): (() => void) =>
  every(
    EVERY_MS,
    () => notifier.retryLater(nowSeconds()),
    (error) => log.warn({ error }, "notices could not be tried again"),
  );
