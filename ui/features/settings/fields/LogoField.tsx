import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import OutlinedInput from "@mui/material/OutlinedInput";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import { notifyError } from "../../../components/feedback/notify.tsx";
import { FileInput } from "../../../components/form/FileInput.tsx";
import { Field, Row } from "../../../components/layout.tsx";
import { sitePath } from "../../../lib/base-path.ts";

type Props = Readonly<{ id: string; label: string; hint: string; value: string; onChange: (text: string) => void }>;

/** Every page loads the logo: a larger one is drawn smaller. */
const MOST_PX = 160;

/** A logo: the address of an image, or a file, which is stored in its place as a small PNG. */
export const LogoField = ({ id, label, hint, value, onChange }: Props) => {
  const { t } = useTranslation();
  const input = useRef<HTMLInputElement>(null);
  const isFile = value.startsWith("data:");
  const read = (file: File) =>
    readLogo(file).then(onChange, () => notifyError(t("settings.brand.notAnImage", { name: file.name })));
  return (
    <Field label={label} htmlFor={id} hint={hint}>
      <Row gap={2}>
        {value !== "" && (
          <Box
            component="img"
            src={sitePath(value)}
            alt=""
            sx={{ width: 32, height: 32, flex: "none", objectFit: "contain" }}
          />
        )}
        <OutlinedInput
          id={id}
          fullWidth
          value={isFile ? t("settings.brand.ownFile") : value}
          readOnly={isFile}
          onChange={({ target }) => onChange(target.value)}
          inputProps={{ spellCheck: false }}
        />
        {isFile && (
          <Button variant="text" sx={{ flex: "none" }} onClick={() => onChange("")}>
            {t("settings.brand.remove")}
          </Button>
        )}
        <Button sx={{ flex: "none" }} onClick={() => input.current?.click()}>
          {t("settings.brand.choose")}
        </Button>
        <FileInput input={input} accept="image/*" label={t("settings.brand.choose")} onFile={read} />
      </Row>
    </Field>
  );
};

/** An image as a PNG of at most 160 pixels, as a data address. Rejects what the browser cannot draw. */
async function readLogo(file: File): Promise<string> {
  const image = new Image();
  image.src = URL.createObjectURL(file);
  try {
    await image.decode();
    // Vector images may have no size of their own.
    const [width, height] = [image.naturalWidth || MOST_PX, image.naturalHeight || MOST_PX];
    const scale = Math.min(1, MOST_PX / Math.max(width, height));
    const canvas = document.createElement("canvas");
    canvas.width = Math.max(1, Math.round(width * scale));
    canvas.height = Math.max(1, Math.round(height * scale));
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return canvas.toDataURL("image/png");
  } finally {
    URL.revokeObjectURL(image.src);
  }
}
