import { queryOptions } from "@tanstack/react-query";
import type { RouteView } from "../../../../src/domain/models/routes/save-route.ts";
import type { RouteDefinition } from "../../../../src/settings/option/model-routes.ts";
import { readData } from "../../../api/client.ts";
import { routeApi } from "../../../api/groups.ts";

export type { RouteDefinition, RouteView };
export type Candidate = NonNullable<RouteDefinition["candidates"]>[number];

export const routes = queryOptions({
  queryKey: ["routes"],
  queryFn: ({ signal }): Promise<readonly RouteView[]> => readData(routeApi.get({ fetch: { signal } })),
});

export const createRoute = (name: string, route: RouteDefinition) => readData(routeApi.post({ name, route }));

/** Replaces the route `name`, which is called `newName` from then on. */
export const updateRoute = (name: string, newName: string, route: RouteDefinition) =>
  readData(routeApi.put({ name, new_name: newName, route }));

/** What the last day's calls would have cost and taken under a route. */
export const simulateRoute = (name: string, route: RouteDefinition) =>
  readData(routeApi.simulate.post({ name, route }));

export const deleteRoute = (name: string) => readData(routeApi.delete({}, { query: { name } }));

/** The definition without what the server adds. */
export const definitionOf = ({ name: _, unserved: __, ...definition }: RouteView): RouteDefinition => definition;
