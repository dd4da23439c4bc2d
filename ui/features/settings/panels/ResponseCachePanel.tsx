import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Skeleton from "@mui/material/Skeleton";
import { queryOptions, useMutation, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { readData } from "../../../api/client.ts";
import { responseCacheApi } from "../../../api/groups.ts";
import { KeyValueTiles } from "../../../components/display/KeyValue.tsx";
import { useConfirm } from "../../../components/feedback/confirm.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { notifyDone, notifyError } from "../../../components/feedback/notify.tsx";
import { Col, Row } from "../../../components/layout.tsx";
import { useCacheFacts } from "../../logs/usage/home/cache-facts.tsx";

/** What the cache of responses saved, and a way to empty it. */
export const ResponseCachePanel = () => {
  const { t } = useTranslation();
  const confirm = useConfirm();
  const { data, error, refetch } = useQuery(cacheDays);
  const clear = useMutation({
    mutationFn: () => readData(responseCacheApi.delete()),
    onSuccess: () => notifyDone(t("settings.responseCache.cleared")),
    onError: notifyError,
  });
  const ask = async () => {
    const question = {
      title: t("settings.responseCache.clearTitle"),
      body: t("settings.responseCache.clearBody"),
      action: t("settings.responseCache.clear"),
      isDangerous: true,
    };
    if (await confirm(question)) clear.mutate();
  };
  const facts = useCacheFacts(data ?? [], "all");
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton variant="rounded" height={72} />;
  return (
    <Col gap={4} sx={{ pt: 4, borderTop: "1px dashed", borderColor: "line.main" }}>
      <Box sx={{ fontSize: 12.5, color: "text.tertiary" }}>
        {t(facts ? "settings.responseCache.period" : "settings.responseCache.none")}
      </Box>
      {facts && <KeyValueTiles items={facts} />}
      <Row>
        <Button color="error" loading={clear.isPending} onClick={() => void ask()}>
          {t("settings.responseCache.clear")}
        </Button>
      </Row>
    </Col>
  );
};

const cacheDays = queryOptions({
  queryKey: ["response-cache"],
  queryFn: ({ signal }) => readData(responseCacheApi.get({ query: { days: 30 }, fetch: { signal } })),
});
