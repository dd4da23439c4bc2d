import Box from "@mui/material/Box";
import Switch from "@mui/material/Switch";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import type { UserView } from "../../../src/domain/accounts/users/user-view.ts";
import { Panel, Row } from "../../components/layout.tsx";
import { notifyDone, notifyError } from "../../components/notify.tsx";
import { self } from "./self-calls.ts";
import { readSetting, saveSetting } from "./user-setting.ts";

/** Whether models without a price may be called at the default one. */
export const PricePanel = ({ user }: { user: UserView }) => {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const id = useId();
  const save = useMutation({
    mutationFn: (accept: boolean) => saveSetting({ accept_unset_model_ratio_model: accept }),
    onSuccess: () => notifyDone(t("personal.prices.done")),
    onError: notifyError,
    onSettled: () => queries.invalidateQueries(self),
  });
  const isAccepted = save.isPending ? save.variables : readSetting(user).accept_unset_model_ratio_model === true;
  return (
    <Panel title={t("personal.prices.title")}>
      <Row gap={4} sx={{ alignItems: "flex-start" }}>
        <Box sx={{ flex: 1 }}>
          <Box component="label" htmlFor={id} sx={{ fontSize: 13, fontWeight: 550 }}>
            {t("personal.prices.accept")}
          </Box>
          <Box id={`${id}hint`} sx={{ maxWidth: 560, mt: 1, fontSize: 12, color: "text.secondary" }}>
            {t("personal.prices.hint")}
          </Box>
        </Box>
        <Switch
          id={id}
          checked={isAccepted}
          onChange={(_, accept) => save.mutate(accept)}
          slotProps={{ input: { "aria-describedby": `${id}hint` } }}
        />
      </Row>
    </Panel>
  );
};
