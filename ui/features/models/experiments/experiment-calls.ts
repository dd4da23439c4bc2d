import { queryOptions } from "@tanstack/react-query";
import type { ExperimentView } from "../../../../src/domain/models/experiments/list-experiments.ts";
import { readData } from "../../../api/client.ts";
import { experimentApi } from "../../../api/groups.ts";

export type { ExperimentView };
export type Comparison = ExperimentView["comparisons"][number];

export const experiments = queryOptions({
  queryKey: ["experiments"],
  queryFn: ({ signal }): Promise<readonly ExperimentView[]> => readData(experimentApi.get({ fetch: { signal } })),
});

export const deleteResults = (route: string) => readData(experimentApi.delete({}, { query: { route } }));
