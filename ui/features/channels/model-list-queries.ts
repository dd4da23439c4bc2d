import { queryOptions } from "@tanstack/react-query";
import type { ModelListView } from "../../../src/domain/channels/model-list.ts";
import { request } from "../../api/client.ts";
import { CHANNELS_KEY } from "./channel-queries.ts";

export type ModelList = ModelListView;

/** How a channel's models differ from what its upstream offered when it was last asked. */
export const modelList = (id: number) =>
  queryOptions({
    queryKey: [...CHANNELS_KEY, "model-list", id],
    queryFn: async ({ signal }) => (await request<ModelList>(`/api/channel/${id}/model_list`, { signal })).data,
  });

/** Asks the upstream now. */
export const refreshModelList = async (id: number): Promise<ModelList> =>
  (await request<ModelList>(`/api/channel/${id}/model_list/refresh`, { method: "POST", body: {} })).data;

type TakenModels = Readonly<{ add: readonly string[]; remove: readonly string[]; ignore: readonly string[] }>;

/** Takes models over into the channel and out of it; ignored ones are not mentioned again. */
export const takeModels = (id: number, taken: TakenModels) =>
  request<null>(`/api/channel/${id}/model_list/take`, { method: "POST", body: taken });
