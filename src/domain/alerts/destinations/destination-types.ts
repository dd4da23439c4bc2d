import { discord, lark, slack, teams, telegram } from "./chat.ts";
import type { DestinationType } from "./destination-type.ts";
import { opsgenie, pagerduty } from "./on-call.ts";
import { webhook } from "./webhook.ts";

/** Every service that takes alerts, in the order of the console. */
export const DESTINATION_TYPES = { slack, teams, lark, discord, telegram, pagerduty, opsgenie, webhook } as const;
export type DestinationTypeName = keyof typeof DESTINATION_TYPES;

/** Whether a text names a type that this release knows. */
export const isDestinationType = (name: string): name is DestinationTypeName => Object.hasOwn(DESTINATION_TYPES, name);

/** How a type takes alerts. */
export const destinationType = (name: DestinationTypeName): DestinationType => DESTINATION_TYPES[name];
