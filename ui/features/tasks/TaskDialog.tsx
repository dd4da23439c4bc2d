import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { CodeBox } from "../../components/display/CodeBox.tsx";
import { CopyButton } from "../../components/display/CopyButton.tsx";
import { ViewDialog } from "../../components/feedback/FormDialog.tsx";

/** The part of a task to show in full. */
export type Opened = Readonly<{ title: string; kind: "text" | "record" | "image"; content: string }>;

/** A long text, a whole record or an image of a task. */
export const TaskDialog = ({ opened, onClose }: { opened: Opened; onClose: () => void }) => {
  const { t } = useTranslation();
  const { title, kind, content } = opened;
  const isImage = kind === "image";
  return (
    <ViewDialog
      title={title}
      width={isImage ? "lg" : "sm"}
      onClose={onClose}
      actions={
        <>
          {isImage ? (
            <Button component="a" href={content} target="_blank" rel="noopener noreferrer">
              {t("tasks.original")}
            </Button>
          ) : (
            <CopyButton text={content} words={t("tasks.copy")} />
          )}
          <Button onClick={onClose}>{t("components.close")}</Button>
        </>
      }
    >
      {kind === "text" && <Box sx={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>{content}</Box>}
      {kind === "record" && <CodeBox code={content} label={title} />}
      {isImage && <TaskImage address={content} title={title} />}
    </ViewDialog>
  );
};

/** The image, or why it can't be shown. */
const TaskImage = ({ address, title }: { address: string; title: string }) => {
  const { t } = useTranslation();
  const [hasFailed, setFailed] = useState(false);
  if (hasFailed) return <Box role="alert">{t("tasks.imageFailed")}</Box>;
  return (
    <Box
      component="img"
      src={address}
      alt={title}
      referrerPolicy="no-referrer"
      onError={() => setFailed(true)}
      sx={{ display: "block", maxWidth: "100%", maxHeight: "70dvh", mx: "auto" }}
    />
  );
};
