import Autocomplete from "@mui/material/Autocomplete";
import Button from "@mui/material/Button";
import Dialog from "@mui/material/Dialog";
import DialogActions from "@mui/material/DialogActions";
import DialogContent from "@mui/material/DialogContent";
import DialogTitle from "@mui/material/DialogTitle";
import OutlinedInput from "@mui/material/OutlinedInput";
import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { Field } from "../../components/layout.tsx";
import { channelTags } from "./channel-queries.ts";

type TagDialogProps = Readonly<{ count: number; onSet: (tag: string) => void; onClose: () => void }>;

/** Asks which tag the ticked channels get. */
export const TagDialog = ({ count, onSet, onClose }: TagDialogProps) => {
  const { t } = useTranslation();
  const id = useId();
  const tags = useQuery(channelTags).data ?? [];
  const [tag, setTag] = useState("");
  const [isChecked, setChecked] = useState(false);
  const isMissing = isChecked && tag.trim() === "";
  return (
    <Dialog open onClose={onClose} aria-labelledby={`${id}title`} fullWidth maxWidth="xs">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          setChecked(true);
          if (tag.trim() === "") return;
          onSet(tag.trim());
          onClose();
        }}
      >
        <DialogTitle id={`${id}title`} sx={{ fontSize: 16, fontWeight: 620 }}>
          {t("channels.batch.tagTitle", { count })}
        </DialogTitle>
        <DialogContent>
          <Field
            label={t("channels.batch.tagLabel")}
            htmlFor={`${id}tag`}
            error={isMissing && t("channels.batch.tagRequired")}
          >
            <Autocomplete
              freeSolo
              options={tags}
              inputValue={tag}
              onInputChange={(_, typed) => setTag(typed)}
              renderInput={({ slotProps }) => (
                <OutlinedInput
                  autoFocus
                  fullWidth
                  ref={slotProps.input.ref}
                  error={isMissing}
                  inputProps={{ ...slotProps.htmlInput, id: `${id}tag` }}
                  endAdornment={slotProps.input.endAdornment}
                />
              )}
            />
          </Field>
        </DialogContent>
        <DialogActions sx={{ px: 6, pb: 4 }}>
          <Button onClick={onClose}>{t("components.cancel")}</Button>
          <Button type="submit" variant="contained" color="primary">
            {t("channels.batch.setTag")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
};
