import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Skeleton from "@mui/material/Skeleton";
import { queryOptions, useMutation, useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { readData } from "../../../api/client.ts";
import { systemApi } from "../../../api/groups.ts";
import { KeyValueTiles } from "../../../components/display/KeyValue.tsx";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { notifyError } from "../../../components/feedback/notify.tsx";
import { Col, Row } from "../../../components/layout.tsx";

const Prose = lazy(async () => ({ default: (await import("../../../components/site/Prose.tsx")).Prose }));

/** Version, start time and database engine of this gateway; checks for a newer release. */
export const SystemInfoPanel = () => {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(systemInfo);
  const update = useMutation({ mutationFn: checkUpdate, onError: notifyError });
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton variant="rounded" height={96} />;
  const facts = [
    [t("settings.system.version"), data.version],
    [t("settings.system.commit"), data.commit],
    [t("settings.system.started"), <TimeAgo key="started" seconds={data.start_time} />],
    [t("settings.system.database"), t(`settings.system.databases.${data.database}`)],
    [t("settings.system.runtime"), `${data.runtime} · ${data.platform}`],
  ] as const;
  return (
    <Col gap={4}>
      <KeyValueTiles items={facts} />
      {data.can_check_update ? (
        <Row>
          <Button loading={update.isPending} onClick={() => update.mutate()}>
            {t("settings.system.check")}
          </Button>
        </Row>
      ) : (
        <Box sx={{ fontSize: 12.5, color: "text.tertiary" }}>{t("settings.system.noCheck")}</Box>
      )}
      {update.data && <ReleaseView release={update.data} />}
    </Col>
  );
};

const ReleaseView = ({ release }: { release: Release }) => {
  const { t } = useTranslation();
  if (!release.is_newer) return <Box role="status">{t("settings.system.latest", { version: release.version })}</Box>;
  return (
    <Box sx={{ border: "1px solid", borderColor: "line.main", borderRadius: 1, p: 4 }}>
      <Row gap={3} wrap sx={{ mb: 3 }}>
        <Box role="status" sx={{ fontWeight: 600 }}>
          {t("settings.system.newer", { version: release.version })}
        </Box>
        {release.url && (
          <Button component="a" href={release.url} target="_blank" rel="noreferrer" size="small">
            {t("settings.system.open")}
          </Button>
        )}
      </Row>
      <Suspense fallback={<Skeleton height={80} />}>
        <Prose text={release.notes} />
      </Suspense>
    </Box>
  );
};

type SystemInfo = {
  version: string;
  commit: string;
  /** Epoch seconds. */
  start_time: number;
  database: "embedded" | "server";
  runtime: string;
  platform: string;
  can_check_update: boolean;
};

const systemInfo = queryOptions({
  queryKey: ["system-info"],
  queryFn: ({ signal }): Promise<SystemInfo> => readData(systemApi.info.get({ fetch: { signal } })),
});

type Release = { version: string; url: string; notes: string; is_newer: boolean };

const checkUpdate = (): Promise<Release> => readData(systemApi.update.get());
