import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { notifyDone, notifyError } from "../../../components/feedback/notify.tsx";
import { SideDrawer } from "../../../components/feedback/SideDrawer.tsx";
import { Col } from "../../../components/layout.tsx";
import { refreshSiteStatus } from "../../../state/site-status.ts";
import { SITE_TEXT_KEY } from "../../site/SiteText.tsx";
import { options } from "../option-calls.ts";
import { wordOf } from "../setting-field.ts";
import { type ImportPlan, importSettings, type PlannedChange, type SettingsFile } from "./transfer-calls.ts";

type ImportDrawerProps = Readonly<{ file: SettingsFile; plan: ImportPlan; onClose: () => void }>;

/** Previews the changes of an import. Nothing is imported while a value is rejected. */
export const ImportDrawer = ({ file, plan, onClose }: ImportDrawerProps) => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const changing = Object.fromEntries(plan.changes.map(({ key }) => [key, file.options[key] ?? ""]));
  const save = useMutation({
    mutationFn: () => importSettings(changing),
    onSuccess: async ({ saved, refused }) => {
      await client.invalidateQueries(options);
      refreshSiteStatus();
      void client.invalidateQueries({ queryKey: SITE_TEXT_KEY });
      if (refused[0]) notifyError(t("settings.partly", { message: refused[0].message }));
      else notifyDone(t("settings.transfer.imported", { count: saved.length }));
      onClose();
    },
    onError: notifyError,
  });
  const isNothing = plan.changes.length === 0;
  return (
    <SideDrawer
      title={t("settings.transfer.previewTitle")}
      subtitle={t("settings.transfer.previewPurpose")}
      onClose={onClose}
      footer={(close) => (
        <>
          <Box sx={{ flex: 1 }} />
          <Button onClick={close}>{t("components.cancel")}</Button>
          <Button
            variant="contained"
            color="primary"
            disabled={isNothing || plan.problems.length > 0}
            loading={save.isPending}
            onClick={() => save.mutate()}
          >
            {t("settings.transfer.apply", { count: plan.changes.length })}
          </Button>
        </>
      )}
    >
      {plan.problems.length > 0 && (
        <Col
          gap={1}
          sx={{ p: 3, mb: 4, borderRadius: 1, bgcolor: "tone.bad.tint", color: "tone.bad.text", fontSize: 13 }}
        >
          <b role="alert">{t("settings.transfer.problems", { count: plan.problems.length })}</b>
          {plan.problems.map(({ key, message }) => (
            <span key={key}>{message}</span>
          ))}
        </Col>
      )}
      {isNothing && plan.problems.length === 0 && <Box role="status">{t("settings.transfer.nothing")}</Box>}
      {plan.changes.map((change) => (
        <ChangeView key={change.key} change={change} />
      ))}
    </SideDrawer>
  );
};

const LONGEST = 240;
const short = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);

const ChangeView = ({ change }: { change: PlannedChange }) => {
  const { t } = useTranslation();
  const lines = change.is_secret
    ? [["+", t("settings.transfer.secret")] as const]
    : ([
        ["−", change.before ?? ""],
        ["+", change.after ?? ""],
      ] as const);
  return (
    <Box sx={{ py: 2, borderBottom: "1px solid", borderColor: "line.faint" }}>
      <Box sx={{ fontSize: 13, fontWeight: 560 }}>
        {t(`settings.fields.${wordOf(change.key)}.label`, { defaultValue: change.key })}
      </Box>
      <Box className="mono" sx={{ fontSize: 11.5, color: "text.tertiary" }}>
        {change.key}
      </Box>
      {lines.map(([sign, text]) => (
        <Box
          key={sign}
          className="mono"
          sx={{
            mt: 1,
            px: 2,
            py: 1,
            borderRadius: "5px",
            fontSize: 12,
            whiteSpace: "pre-wrap",
            overflowWrap: "anywhere",
            bgcolor: sign === "+" ? "tone.ok.tint" : "tone.bad.tint",
          }}
        >
          {sign} {short(text) || t("settings.transfer.empty")}
        </Box>
      ))}
    </Box>
  );
};
