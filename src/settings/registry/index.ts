import type { Option } from "../option/option.ts";
import { catalogOptions, drawingOptions, gatewayOptions, modelOptions } from "./gateway.ts";
import { generalOptions, mailOptions } from "./general.ts";
import { loggingOptions, metricsOptions, monitoringOptions } from "./monitoring.ts";
import { paymentOptions, quotaOptions } from "./payment.ts";
import { pricingOptions } from "./pricing.ts";
import { signInOptions } from "./sign-in.ts";

/** Every option there is. A new one is one line in its section's file. */
export const registry = {
  ...generalOptions,
  ...signInOptions,
  ...mailOptions,
  ...paymentOptions,
  ...quotaOptions,
  ...pricingOptions,
  ...gatewayOptions,
  ...monitoringOptions,
  ...metricsOptions,
  ...loggingOptions,
  ...drawingOptions,
  ...modelOptions,
  ...catalogOptions,
} as const;

export type OptionKey = keyof typeof registry;

/** The typed value of every option. */
export type OptionValues = { [K in OptionKey]: (typeof registry)[K] extends Option<infer T> ? T : never };

export const optionKeys = Object.keys(registry) as OptionKey[];

/** The option named `key`; undefined when there is none. */
export const findOption = (key: string): Option<unknown> | undefined =>
  Object.hasOwn(registry, key) ? registry[key as OptionKey] : undefined;

/** Whether an option of this name exists. */
export const isOptionKey = (key: string): key is OptionKey => Object.hasOwn(registry, key);
