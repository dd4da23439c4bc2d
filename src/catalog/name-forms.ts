/**
 * Forms of a model's name under which a catalogue may know it, the name itself first, then with less and less of what hosts
 * add: letters in capitals, a path ("openai/gpt-4o"), a region and a maker ("us.anthropic.claude-…"), "ft:" and what follows
 * a fine-tuned model, a version ("-v1:0", ":free", "@20250514"), a day. OpenRouter writes Claude's versions with a dot.
 */
export function nameForms(model: string): readonly string[] {
  const forms = [model];
  const add = (form: string) => {
    if (form !== "" && !forms.includes(form)) forms.push(form);
    return form;
  };
  let form = add(model.toLowerCase());
  form = add(form.slice(form.lastIndexOf("/") + 1));
  if (form.startsWith("ft:")) form = add(form.slice(3).replace(/:.*$/, ""));
  form = add(form.replace(/^(?:[a-z-]+\.)+(?=[a-z])/, ""));
  form = add(form.replace(/[:@].*$/, ""));
  form = add(form.replace(/-v\d+$/, ""));
  form = add(form.replace(/-(?:\d{4}-\d{2}-\d{2}|\d{8})$/, ""));
  // Suffixes that the gateway reads itself.
  if (/^(claude|gemini)-/.test(form)) {
    form = add(form.replace(/-(?:no)?thinking$/, ""));
    form = add(form.replace(/-\d{8}$/, ""));
  }
  if (form.startsWith("claude-")) add(form.replace(/(\d)\.(\d)/g, "$1-$2"));
  return forms;
}
