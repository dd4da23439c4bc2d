import { queryOptions } from "@tanstack/react-query";
import type { ModelListView } from "../../../src/domain/channels/model-list.ts";
import { readData } from "../../api/client.ts";
import { channelUpstreamApi } from "../../api/groups.ts";
import { CHANNELS_KEY } from "./channel-queries.ts";

export type ModelList = ModelListView;

/** How a channel's models differ from what its upstream offered when it was last asked. */
export const modelList = (id: number) =>
  queryOptions({
    queryKey: [...CHANNELS_KEY, "model-list", id],
    queryFn: ({ signal }) => readData(channelUpstreamApi({ id }).model_list.get({ fetch: { signal } })),
  });

/** Asks the upstream now. */
export const refreshModelList = (id: number): Promise<ModelList> =>
  readData(channelUpstreamApi({ id }).model_list.refresh.post({}));

type TakenModels = Readonly<{ add: readonly string[]; remove: readonly string[]; ignore: readonly string[] }>;

/** Takes models over into the channel and out of it; ignored ones are not mentioned again. */
export const takeModels = (id: number, { add, remove, ignore }: TakenModels) =>
  readData(
    channelUpstreamApi({ id }).model_list.take.post({ add: [...add], remove: [...remove], ignore: [...ignore] }),
  );
