import type { DestinationType } from "./destination-type.ts";
import { discord } from "./discord.ts";
import { lark } from "./lark.ts";
import { opsgenie } from "./opsgenie.ts";
import { pagerduty } from "./pagerduty.ts";
import { slack } from "./slack.ts";
import { teams } from "./teams.ts";
import { telegram } from "./telegram.ts";
import { webhook } from "./webhook.ts";

/** Every service that takes alerts, in the order of the console. */
export const DESTINATION_TYPES = { slack, teams, lark, discord, telegram, pagerduty, opsgenie, webhook } as const;
export type DestinationTypeName = keyof typeof DESTINATION_TYPES;

/** Whether a text names a type that this release knows. */
export const isDestinationType = (name: string): name is DestinationTypeName => Object.hasOwn(DESTINATION_TYPES, name);

/** How a type takes alerts. */
export const destinationType = (name: DestinationTypeName): DestinationType => DESTINATION_TYPES[name];
