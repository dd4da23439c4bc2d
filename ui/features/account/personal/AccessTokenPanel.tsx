import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { CopyButton } from "../../../components/display/CopyButton.tsx";
import { useConfirm } from "../../../components/feedback/confirm.tsx";
import { notifyError } from "../../../components/feedback/notify.tsx";
import { Panel, Row } from "../../../components/layout.tsx";
import { makeAccessToken, self } from "./self-calls.ts";

/** The token with which tools manage the gateway as the user; shown only once, when created. */
export const AccessTokenPanel = ({ hasToken }: { hasToken: boolean }) => {
  const { t } = useTranslation();
  const confirm = useConfirm();
  const queries = useQueryClient();
  const make = useMutation({
    mutationFn: makeAccessToken,
    onSuccess: () => queries.invalidateQueries(self),
    onError: notifyError,
  });
  const ask = async () => {
    // There is nothing to lose before the first one.
    if (!hasToken) return make.mutate();
    const isSure = await confirm({
      title: t("personal.token.confirmTitle"),
      body: t("personal.token.confirmBody"),
      action: t("personal.token.confirmAction"),
      isDangerous: true,
    });
    if (isSure) make.mutate();
  };
  return (
    <Panel title={t("personal.token.title")}>
      <Box sx={{ maxWidth: 560, mb: 4, fontSize: 13, color: "text.secondary" }}>
        {t("personal.token.hint")} <Link to="/reference">{t("reference.title")}</Link>
      </Box>
      {make.data && (
        <Box role="status" sx={{ mb: 4 }}>
          <Row
            sx={{
              p: 2,
              pl: 3,
              maxWidth: 560,
              border: "1px solid",
              borderColor: "tone.ok.line",
              bgcolor: "tone.ok.tint",
              borderRadius: 1,
            }}
          >
            <Box component="code" sx={{ flex: 1, minWidth: 0, overflowWrap: "anywhere" }}>
              {make.data}
            </Box>
            <CopyButton text={make.data} />
          </Row>
          <Box sx={{ mt: 1, fontSize: 12, color: "text.secondary" }}>{t("personal.token.shown")}</Box>
        </Box>
      )}
      <Button onClick={ask} loading={make.isPending}>
        {t("personal.token.make")}
      </Button>
    </Panel>
  );
};
