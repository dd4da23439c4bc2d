import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { self } from "../../api/accounts/self-calls.ts";
import { StatusChip } from "../../components/display/StatusChip.tsx";
import { notifyDone, notifyError } from "../../components/feedback/notify.tsx";
import { useAction } from "../../components/feedback/use-action.ts";
import { Col, Row } from "../../components/layout.tsx";
import { useCountdown } from "../../lib/use-countdown.ts";
import { bindPush, createPushCode, unbindPush } from "./notify-form.ts";

const QR_SIZE = 180;
const ASK_EVERY_MS = 3000;

/** Links WeChat through WxPusher: shows a QR code, which expires and can be refreshed. */
export const PushBinding = ({ isBound }: { isBound: boolean }) => {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [seconds, countDown] = useCountdown();
  const refresh = () => queries.invalidateQueries(self);
  const code = useMutation({
    mutationFn: createPushCode,
    onSuccess: (made) => countDown(made.expires_in),
    onError: notifyError,
  });
  const waitsFor = !isBound && seconds > 0 ? code.data?.code : undefined;
  useQuery({
    queryKey: ["push-binding", waitsFor],
    queryFn: async () => {
      const isDone = await bindPush(waitsFor ?? "");
      if (isDone) {
        notifyDone(t("identities.bound"));
        await refresh();
      }
      return isDone;
    },
    enabled: waitsFor !== undefined,
    refetchInterval: ASK_EVERY_MS,
    gcTime: 0,
  });
  const act = useAction(refresh);
  const askUnbind = () =>
    act({
      question: {
        title: t("profile.bindings.unbindTitle", { label: "WxPusher" }),
        body: t("notifications.push.unbindBody"),
        action: t("profile.bindings.unbind"),
        isDangerous: true,
      },
      work: unbindPush,
      done: ({ message }) => message,
    });
  if (isBound) {
    return (
      <Row gap={3}>
        <StatusChip tone="ok">{t("notifications.push.bound")}</StatusChip>
        <Button size="small" color="error" onClick={() => void askUnbind()}>
          {t("profile.bindings.unbind")}
        </Button>
      </Row>
    );
  }
  return (
    <Col gap={3} sx={{ alignItems: "flex-start" }}>
      {waitsFor && code.data ? (
        <>
          <Box
            component="img"
            src={code.data.url}
            alt={t("notifications.push.image")}
            sx={{ width: QR_SIZE, height: QR_SIZE, bgcolor: "#fff", borderRadius: 1 }}
          />
          <Box sx={{ fontSize: 13, color: "text.secondary" }}>{t("notifications.push.scan", { seconds })}</Box>
        </>
      ) : (
        <>
          <Box sx={{ fontSize: 13, color: "text.secondary" }}>
            {t(code.data ? "notifications.push.expired" : "notifications.push.hint")}
          </Box>
          <Button onClick={() => code.mutate()} loading={code.isPending}>
            {t("notifications.push.get")}
          </Button>
        </>
      )}
    </Col>
  );
};
