import type { SinkType } from "../sink-type.ts";
import { bigquery } from "./bigquery.ts";
import { clickhouse, splunk, webhook } from "./http-sinks.ts";
import { kafka } from "./kafka.ts";
import { s3 } from "./s3.ts";

/** Every kind of destination for usage records, in the order of the console. */
const SINK_TYPES = { webhook, kafka, s3, clickhouse, bigquery, splunk } as const;
export type SinkTypeName = keyof typeof SINK_TYPES;

/** Whether a text names a kind that this release knows. */
export const isSinkType = (name: string): name is SinkTypeName => Object.hasOwn(SINK_TYPES, name);

/** How a kind takes usage records. */
export const sinkType = (name: SinkTypeName): SinkType => SINK_TYPES[name];
