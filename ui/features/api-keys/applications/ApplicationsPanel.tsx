import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { TOKENS_KEY } from "../../../api/api-keys/api-key.ts";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import { useConfirm } from "../../../components/feedback/confirm.tsx";
import { notifyDone, notifyError } from "../../../components/feedback/notify.tsx";
import { Panel } from "../../../components/layout.tsx";
import { Entry } from "../../../components/page/Entry.tsx";
import { applications, endAccess } from "./application-calls.ts";

type Grant = Readonly<{ id: number; client: string }>;

/** The applications to which the user gave access to MCP servers, for whichever account; nothing if there are none. */
export const ApplicationsPanel = () => {
  const { t } = useTranslation();
  const confirm = useConfirm();
  const queries = useQueryClient();
  const { data = [] } = useQuery(applications);
  const end = useMutation({
    mutationFn: ({ id }: Grant) => endAccess(id),
    onSuccess: (_, { client }) => notifyDone(t("apiKeys.application.ended", { client })),
    onError: notifyError,
    onSettled: () =>
      Promise.all([queries.invalidateQueries(applications), queries.invalidateQueries({ queryKey: TOKENS_KEY })]),
  });
  const askToEnd = async (grant: Grant) => {
    const isSure = await confirm({
      title: t("apiKeys.application.endTitle", { client: grant.client }),
      body: t("apiKeys.application.endBody"),
      action: t("apiKeys.application.end"),
      isDangerous: true,
    });
    if (isSure) end.mutate(grant);
  };
  if (data.length === 0) return null;
  return (
    <Panel title={t("apiKeys.application.list")} hint={t("apiKeys.application.listHint")} sx={{ mt: 6 }}>
      <Box>
        {data.map((grant) => (
          <Entry
            key={grant.id}
            isLong
            title={`${grant.client} (${grant.host})`}
            action={
              <Button size="small" color="error" onClick={() => void askToEnd(grant)}>
                {t("apiKeys.application.end")}
              </Button>
            }
          >
            {[grant.servers?.join(", ") ?? t("apiKeys.application.allServers"), grant.key_name, grant.organization]
              .filter(Boolean)
              .join(" · ")}
            {" · "}
            {t("apiKeys.application.since")} <TimeAgo seconds={grant.created_at} />
            {" · "}
            {grant.used_at === 0 ? (
              t("apiKeys.application.unused")
            ) : (
              <>
                {t("apiKeys.application.used")} <TimeAgo seconds={grant.used_at} />
              </>
            )}
          </Entry>
        ))}
      </Box>
    </Panel>
  );
};
