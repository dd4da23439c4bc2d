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

/** Both sides of a route's experiment over time; days are those of the reader's clock. */
export const experimentSeries = (route: string, step: "hour" | "day") =>
  queryOptions({
    queryKey: ["experiments", "series", route, step],
    queryFn: ({ signal }) => {
      const query = { route, step, offset_minutes: -new Date().getTimezoneOffset() };
      return readData(experimentApi.series.get({ query, fetch: { signal } }));
    },
  });
