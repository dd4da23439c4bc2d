import type { Db } from "../../../db/types.ts";
import { expireOrders } from "../../domain/wallet/orders/expire-orders.ts";
import { nowSeconds } from "../../lib/clock.ts";
import type { Logger } from "../../lib/runtime/log.ts";
import { every } from "./every.ts";

const EVERY_MS = 600_000;

/** Lets orders expire that nobody has paid for a day. Returns what ends it. */
export const startOrderJob = ({ db, log }: Readonly<{ db: Db; log: Logger }>): (() => void) =>
  every(
    EVERY_MS,
    () => expireOrders(db, nowSeconds()),
    (error) => log.warn({ error }, "unpaid orders could not be closed"),
  );
