import { OperationError } from "../../../lib/operation-error.ts";
import { type RouteDefinition, readRoute } from "../../../settings/option/model-routes.ts";
import type { Settings } from "../../../settings/settings.ts";
import type { ChannelDirectory } from "../../channels/directory.ts";
import { servedModels } from "../../channels/routing/abilities.ts";
import { refusing } from "../catalog/save-entry.ts";

type Deps = Readonly<{ settings: Pick<Settings, "change" | "get"> }>;

/** A route as the management API lists it. */
export type RouteView = Readonly<{
  name: string;
  /** Candidates that no enabled channel serves in any group. */
  unserved: readonly string[];
}> &
  RouteDefinition;

/** All routes by name. */
export function listRoutes(settings: Pick<Settings, "get">, channels: ChannelDirectory): readonly RouteView[] {
  const served = new Set(servedModels(channels).map(({ model }) => model));
  return [...settings.get("ModelRoutes").values()]
    .map(({ name, definition, candidates }) => {
      const unserved = new Set(candidates.map(({ model }) => model).filter((model) => !served.has(model)));
      return { name, ...definition, unserved: [...unserved] };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Adds a route. Throws OperationError: it exists, or its definition is invalid. */
export function createRoute({ settings }: Deps, name: string, definition: unknown): Promise<unknown> {
  const route = refusing(() => readRoute(name, definition, ""));
  return changeRoutes(settings, (routes) => {
    if (routes.has(name)) throw new OperationError("route_exists", { name });
    routes.set(name, route.definition);
  });
}

/** Replaces a route and renames it. Throws OperationError: it does not exist, or the new name or definition is invalid. */
export function updateRoute({ settings }: Deps, name: string, newName: string, definition: unknown): Promise<unknown> {
  const route = refusing(() => readRoute(newName, definition, ""));
  return changeRoutes(settings, (routes) => {
    requireRoute(routes, name);
    if (newName !== name && routes.has(newName)) throw new OperationError("route_exists", { name: newName });
    routes.delete(name);
    routes.set(newName, route.definition);
  });
}

/** Deletes a route. Throws OperationError if it does not exist. */
export const deleteRoute = ({ settings }: Deps, name: string): Promise<unknown> =>
  changeRoutes(settings, (routes) => {
    requireRoute(routes, name);
    routes.delete(name);
  });

function requireRoute(routes: ReadonlyMap<string, unknown>, name: string): void {
  if (!routes.has(name)) throw new OperationError("route_missing", { name: name.slice(0, 100) });
}

const changeRoutes = (settings: Pick<Settings, "change">, change: (routes: Map<string, unknown>) => void) =>
  settings.change(["ModelRoutes"], (textOf) => {
    const routes = new Map<string, unknown>(Object.entries(JSON.parse(textOf("ModelRoutes"))));
    change(routes);
    return new Map([["ModelRoutes", JSON.stringify(Object.fromEntries(routes), null, 2)]]);
  });
