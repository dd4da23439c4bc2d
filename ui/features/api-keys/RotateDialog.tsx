import Box from "@mui/material/Box";
import { useTranslation } from "react-i18next";
import { TOKENS_KEY, type Token } from "../../api/api-keys/api-key.ts";
import { ResourceForm } from "../../components/form/ResourceForm.tsx";
import { exactTime } from "../../lib/format/time.ts";
import { rotateToken } from "./drawer/api-key-calls.ts";

const DAY_S = 86_400;
const GRACE = [
  [0, "now"],
  [3600, "hour"],
  [DAY_S, "day"],
  [7 * DAY_S, "week"],
] as const;

type RotateDialogProps = Readonly<{ token: Token; onClose: () => void; onRotated: (token: Token) => void }>;

/** Rotates a key's secret; asks for the grace period of the old one. */
export const RotateDialog = ({ token, onClose, onRotated }: RotateDialogProps) => {
  const { t, i18n } = useTranslation();
  const now = Date.now() / 1000;
  const limitOf = (seconds: number) => {
    if (!token.rotation || token.rotation.due >= now + seconds) return null;
    const { policy, due } = token.rotation;
    return t(due <= now ? "apiKeys.rotate.overdue" : "apiKeys.rotate.limit", {
      policy,
      time: exactTime(due, i18n.language),
    });
  };
  return (
    <ResourceForm<{ grace: number }>
      as="dialog"
      title={t("apiKeys.rotate.title", { name: token.name })}
      action={t("apiKeys.rotate.action")}
      isNew
      text={(name) => `apiKeys.rotate.${name}`}
      initial={{ grace: DAY_S }}
      save={async ({ grace }) => {
        onRotated(await rotateToken(token.id, grace));
        return undefined;
      }}
      reload={[{ queryKey: TOKENS_KEY }]}
      sections={({ grace }) => [
        {
          fields: [
            <Box key="body" sx={{ fontSize: 13, color: "text.secondary" }}>
              {t("apiKeys.rotate.body")}
            </Box>,
            limitOf(grace) !== null && (
              <Box key="limit" sx={{ fontSize: 13 }}>
                {limitOf(grace)}
              </Box>
            ),
            {
              kind: "select",
              field: "grace",
              options: GRACE.map(([seconds, name]) => [seconds, t(`apiKeys.rotate.${name}`)]),
            },
          ],
        },
      ]}
      onClose={onClose}
    />
  );
};
