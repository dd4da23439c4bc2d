import Download from "@mui/icons-material/DownloadOutlined";
import Upload from "@mui/icons-material/UploadOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Checkbox from "@mui/material/Checkbox";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { OptionKey } from "../../../../src/settings/registry/index.ts";
import { readData } from "../../../api/client.ts";
import { settingsTransferApi } from "../../../api/groups.ts";
import { saveFile } from "../../../components/display/DownloadButton.tsx";
import { useConfirm } from "../../../components/feedback/confirm.tsx";
import { notifyDone, notifyError } from "../../../components/feedback/notify.tsx";
import { SideDrawer } from "../../../components/feedback/SideDrawer.tsx";
import { Col, Row } from "../../../components/layout.tsx";
import { SITE_TEXT_KEY } from "../../../components/site/SiteText.tsx";
import { isText, mapOf, readRecord } from "../../../lib/json.ts";
import { refreshSiteStatus } from "../../../state/site-status.ts";
import { options } from "../option-calls.ts";
import { wordOf } from "../setting-field.ts";

type Options = SettingsFile["options"];
type Problem = { key: string; message: string };
/** Null for secrets. */
type PlannedChange = { key: OptionKey; is_secret: boolean; before: string | null; after: string | null };
type ImportPlan = { changes: PlannedChange[]; problems: Problem[] };

const exportSettings = (secrets: boolean) => readData(settingsTransferApi.export.post({ secrets }));

const planImport = (options: Options): Promise<ImportPlan> =>
  readData(settingsTransferApi.import.preview.post({ options }));

const importSettings = (options: Options) => readData(settingsTransferApi.import.post({ options }));

/** The content of an exported file. */
type SettingsFile = Readonly<{ format: "sluice-settings"; options: Readonly<Record<string, string>> }>;

/** Parses an exported file of settings; null if it isn't one. */
export function readSettingsFile(text: string): SettingsFile | null {
  const file = readRecord(text);
  if (file?.format !== "sluice-settings") return null;
  const options = mapOf(file.options, isText);
  return options && { format: file.format, options };
}

type ImportDrawerProps = Readonly<{ file: SettingsFile; plan: ImportPlan; onClose: () => void }>;

/** Previews the changes of an import. Nothing is imported while a value is rejected. */
const ImportDrawer = ({ file, plan, onClose }: ImportDrawerProps) => {
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

/** Exports all settings to a file, and imports them after a preview. */
export const TransferPanel = () => {
  const { t } = useTranslation();
  const id = useId();
  const confirm = useConfirm();
  const file = useRef<HTMLInputElement>(null);
  const [withSecrets, setWithSecrets] = useState(false);
  const [open, setOpen] = useState<{ file: SettingsFile; plan: ImportPlan } | null>(null);
  const leave = useMutation({
    mutationFn: exportSettings,
    onSuccess: (content) => {
      const text = JSON.stringify(content, null, 2);
      saveFile(
        new Blob([text], { type: "application/json" }),
        `settings-${new Date().toISOString().slice(0, 10)}.json`,
      );
      notifyDone(t("settings.transfer.exported"));
    },
    onError: notifyError,
  });
  const start = async () => {
    const question = {
      title: t("settings.transfer.secretsTitle"),
      body: t("settings.transfer.secretsBody"),
      action: t("settings.transfer.export"),
      isDangerous: true,
    };
    if (!withSecrets || (await confirm(question))) leave.mutate(withSecrets);
  };
  const look = async (selected: File | undefined) => {
    if (!selected) return;
    const content = readSettingsFile(await selected.text());
    if (!content) {
      notifyError(t("settings.transfer.noFile"));
      return;
    }
    try {
      setOpen({ file: content, plan: await planImport(content.options) });
    } catch (error) {
      notifyError(error);
    }
  };
  return (
    <>
      <Row wrap gap={3} sx={{ rowGap: 2 }}>
        <Button startIcon={<Download />} loading={leave.isPending} onClick={() => void start()}>
          {t("settings.transfer.export")}
        </Button>
        <Button startIcon={<Upload />} onClick={() => file.current?.click()}>
          {t("settings.transfer.import")}
        </Button>
        <Row gap={1}>
          <Checkbox
            size="small"
            checked={withSecrets}
            onChange={(event) => setWithSecrets(event.target.checked)}
            slotProps={{ input: { id: `${id}secrets` } }}
          />
          <label htmlFor={`${id}secrets`} style={{ fontSize: 13 }}>
            {t("settings.transfer.withSecrets")}
          </label>
        </Row>
        <Box
          component="input"
          ref={file}
          type="file"
          accept="application/json,.json"
          hidden
          aria-label={t("settings.transfer.import")}
          onChange={(event: React.ChangeEvent<HTMLInputElement>) => {
            void look(event.target.files?.[0]);
            // Allows choosing the same file again.
            event.target.value = "";
          }}
        />
      </Row>
      {open && <ImportDrawer file={open.file} plan={open.plan} onClose={() => setOpen(null)} />}
    </>
  );
};
