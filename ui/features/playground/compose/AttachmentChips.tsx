import Audio from "@mui/icons-material/AudiotrackOutlined";
import File from "@mui/icons-material/PictureAsPdfOutlined";
import Box from "@mui/material/Box";
import { useTranslation } from "react-i18next";
import { Row } from "../../../components/layout.tsx";
import { Tip } from "../../../components/tip/Tip.tsx";
import type { Attachment } from "../chat/chat.ts";

type Props = Readonly<{ attachments: readonly Attachment[]; onRemove: (attachment: Attachment) => void }>;

/** The files of a question; a click removes one. */
export const AttachmentChips = ({ attachments, onRemove }: Props) => {
  const { t } = useTranslation();
  if (attachments.length === 0) return null;
  return (
    <Row gap={2} wrap sx={{ mb: 2 }}>
      {attachments.map((attachment) => {
        const name = t("playground.removeFile", { name: attachment.name });
        return (
          <Tip key={attachment.url} title={name}>
            <Box
              component="button"
              type="button"
              aria-label={name}
              onClick={() => onRemove(attachment)}
              sx={{
                ...{ display: "flex", alignItems: "center", gap: 1.5, p: 0.5, maxWidth: 220, minHeight: 32 },
                ...{ border: "1px solid", borderColor: "line.main", borderRadius: 1, bgcolor: "surface.paper" },
                ...{ cursor: "pointer", font: "inherit", fontSize: 12, color: "text.secondary" },
              }}
            >
              <Preview attachment={attachment} />
            </Box>
          </Tip>
        );
      })}
    </Row>
  );
};

const Preview = ({ attachment: { kind, name, url } }: { attachment: Attachment }) => {
  if (kind === "image") return <img src={url} alt="" height={48} style={{ maxWidth: 160, borderRadius: 6 }} />;
  return (
    <>
      {kind === "audio" ? <Audio fontSize="small" /> : <File fontSize="small" />}
      <Box component="span" sx={{ overflow: "hidden", textOverflow: "ellipsis", whiteSpace: "nowrap", pr: 1 }}>
        {name}
      </Box>
    </>
  );
};
