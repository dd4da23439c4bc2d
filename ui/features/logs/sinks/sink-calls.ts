import { queryOptions } from "@tanstack/react-query";
import type { SinkView } from "../../../../src/domain/logs/sinks/sinks.ts";
import { readData, readEnvelope } from "../../../api/client.ts";
import { sinkApi } from "../../../api/groups.ts";

/** A destination of usage records. */
export type Sink = SinkView;

const REFRESH_MS = 5000;

export const sinkList = queryOptions({
  queryKey: ["sinks"],
  refetchInterval: REFRESH_MS,
  queryFn: ({ signal }) => readData(sinkApi.get({ fetch: { signal } })),
});

type SinkBody = Readonly<{ name: string; enabled: boolean; config: Record<string, string> }>;

export const addSink = (body: SinkBody & Readonly<{ type: string; from_start: boolean }>) =>
  readData(sinkApi.post(body));

export const changeSink = (id: number, body: SinkBody) => readData(sinkApi({ id }).put(body));

export const deleteSink = (id: number) => readData(sinkApi({ id }).delete({}));

/** Sends a made-up record; resolves with what to say. */
export const testSink = async (id: number) => (await readEnvelope(sinkApi({ id }).test.post({}))).message;
