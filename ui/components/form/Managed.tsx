import Alert from "@mui/material/Alert";
import Box from "@mui/material/Box";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useAtomValue } from "jotai";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { readData } from "../../api/client.ts";
import { configurationApi } from "../../api/groups.ts";
import { hasRight, userAtom } from "../../state/stored-user.ts";

/** A resource that files can manage: its section of the file, and its id or its name there. */
export type Manageable = Readonly<{ section: string; id?: number; name?: string }>;

/** Who manages a resource; where the site is locked, nobody else may change it. */
export type Managed = Readonly<{ label: string; isLocked: boolean }>;

const FRESH_MS = 60_000;

const managedResources = queryOptions({
  queryKey: ["configuration", "managed"],
  staleTime: FRESH_MS,
  queryFn: ({ signal }) => readData(configurationApi.managed.get({ fetch: { signal } })),
});

/** The files that manage resources, by resource; null: none does, or the reader may not know. */
export function useManaged(): (resource: Manageable | null) => Managed | null {
  const user = useAtomValue(userAtom);
  const { data } = useQuery({ ...managedResources, enabled: hasRight(user, "settings:read") });
  return (resource) => {
    const found = data?.resources.find(
      ({ section, id, name }) =>
        section === resource?.section && (resource.id === undefined ? name === resource.name : id === resource.id),
    );
    return found && data ? { label: found.label, isLocked: data.is_locked } : null;
  };
}

/** Says that files manage what is below, which can't be changed where the site is locked. */
export const ManagedFields = ({ managed, children }: Readonly<{ managed: Managed | null; children: ReactNode }>) => {
  if (!managed) return children;
  return (
    <>
      <ManagedNotice managed={managed} />
      <Box inert={managed.isLocked} sx={managed.isLocked ? { opacity: 0.75 } : null}>
        {children}
      </Box>
    </>
  );
};

/** The notice alone. */
export const ManagedNotice = ({ managed: { label, isLocked } }: Readonly<{ managed: Managed }>) => {
  const { t } = useTranslation();
  return (
    <Alert severity="info" sx={{ mb: 4 }}>
      {t(isLocked ? "components.managed.locked" : "components.managed.open", { label })}
    </Alert>
  );
};
