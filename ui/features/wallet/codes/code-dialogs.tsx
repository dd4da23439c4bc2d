import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Dialog from "@mui/material/Dialog";
import DialogActions from "@mui/material/DialogActions";
import DialogContent from "@mui/material/DialogContent";
import DialogTitle from "@mui/material/DialogTitle";
import OutlinedInput from "@mui/material/OutlinedInput";
import Skeleton from "@mui/material/Skeleton";
import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { CopyButton } from "../../../components/display/CopyButton.tsx";
import { saveFile } from "../../../components/display/DownloadButton.tsx";
import { Money } from "../../../components/display/Money.tsx";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { ViewDialog } from "../../../components/feedback/FormDialog.tsx";
import { notifyDone, notifyError } from "../../../components/feedback/notify.tsx";
import { Field, Row } from "../../../components/layout.tsx";
import { type Code, codeUses } from "./code.ts";
import { countByName, deleteByName } from "./code-form.ts";

/** Who used a code, and when. */
export const CodeUsesDialog = ({ code, onClose }: { code: Code; onClose: () => void }) => {
  const { t } = useTranslation();
  const uses = useQuery(codeUses(code.id));
  return (
    <ViewDialog title={t("codes.uses.title", { name: code.name })} onClose={onClose}>
      {uses.isPending && <Skeleton variant="rounded" height={120} />}
      {uses.error && <ErrorState error={uses.error} onRetry={() => uses.refetch()} />}
      {uses.data?.total === 0 && <Box sx={{ color: "text.secondary", fontSize: 13 }}>{t("codes.uses.none")}</Box>}
      {uses.data?.items.map((use) => (
        <Row
          key={use.user_id}
          gap={4}
          sx={{ py: 2, fontSize: 13, "& + &": { borderTop: "1px solid", borderColor: "line.faint" } }}
        >
          <Box sx={{ flex: 1, minWidth: 0, overflowWrap: "anywhere" }}>
            {use.username} (#{use.user_id})
          </Box>
          <Money quota={use.quota} />
          <TimeAgo seconds={use.used_time} />
        </Row>
      ))}
      {uses.data && uses.data.total > uses.data.items.length && (
        <Box sx={{ mt: 3, fontSize: 12, color: "text.tertiary" }}>
          {t("codes.uses.more", { shown: uses.data.items.length, total: uses.data.total })}
        </Box>
      )}
    </ViewDialog>
  );
};

type CreatedCodesProps = Readonly<{ name: string; keys: readonly string[]; onClose: () => void }>;

/** The codes that were just created, to save as a text file or copy. */
export const CreatedCodes = ({ name, keys, onClose }: CreatedCodesProps) => {
  const { t } = useTranslation();
  const text = keys.join("\n");
  const download = () =>
    saveFile(new Blob([`${text}\n`], { type: "text/plain" }), `${name.replace(/[\\/:*?"<>|\s]+/g, "-")}.txt`);
  return (
    <ViewDialog
      title={t("codes.created.title", { count: keys.length })}
      onClose={onClose}
      actions={
        <>
          <CopyButton text={text} words={t("codes.created.copy")} />
          <Box sx={{ flex: 1 }} />
          <Button onClick={onClose}>{t("components.close")}</Button>
          <Button variant="contained" color="primary" onClick={download}>
            {t("codes.created.download")}
          </Button>
        </>
      }
    >
      <Box sx={{ fontSize: 13, color: "text.secondary", mb: 4 }}>{t("codes.created.body")}</Box>
      <Box
        component="pre"
        tabIndex={0}
        className="mono"
        sx={{
          m: 0,
          p: 3,
          maxHeight: 320,
          overflow: "auto",
          fontSize: 12.5,
          border: "1px solid",
          borderColor: "line.main",
          borderRadius: 1,
        }}
      >
        {text}
      </Box>
    </ViewDialog>
  );
};

type DeleteByNameDialogProps = Readonly<{ onClose: () => void; onDeleted: () => void }>;

/** Shows how many codes have a name, then deletes them. */
export const DeleteByNameDialog = ({ onClose, onDeleted }: DeleteByNameDialogProps) => {
  const { t } = useTranslation();
  const id = useId();
  const [name, setName] = useState("");
  const [count, setCount] = useState<number | null>(null);
  const [isBusy, setBusy] = useState(false);
  const step = async () => {
    setBusy(true);
    try {
      if (count === null) setCount(await countByName(name.trim()));
      else {
        notifyDone(t("codes.deletedCount", { count: await deleteByName(name.trim()) }));
        onDeleted();
        onClose();
      }
    } catch (error) {
      notifyError(error);
    }
    setBusy(false);
  };
  return (
    <Dialog open onClose={onClose} aria-labelledby={`${id}title`} fullWidth maxWidth="xs">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() !== "" && count !== 0) void step();
        }}
      >
        <DialogTitle id={`${id}title`} sx={{ fontSize: 16, fontWeight: 620, pb: 1 }}>
          {t("codes.byName.title")}
        </DialogTitle>
        <DialogContent>
          <Box sx={{ fontSize: 13, color: "text.secondary", mb: 4 }}>{t("codes.byName.body")}</Box>
          <Field label={t("codes.byName.name")} htmlFor={id}>
            <OutlinedInput
              id={id}
              fullWidth
              autoFocus
              value={name}
              onChange={(event) => {
                setName(event.target.value);
                setCount(null);
              }}
            />
          </Field>
          <Box role="status" sx={{ mt: 3, minHeight: 20, fontSize: 13 }}>
            {count !== null && t("codes.byName.found", { count })}
          </Box>
        </DialogContent>
        <DialogActions sx={{ px: 6, pb: 4 }}>
          <Button onClick={onClose}>{t("components.cancel")}</Button>
          <Button
            type="submit"
            variant="contained"
            color={count === null ? "primary" : "error"}
            loading={isBusy}
            disabled={name.trim() === "" || count === 0}
          >
            {count === null ? t("codes.byName.count") : t("codes.batch.delete", { count })}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
};
