/** Leaves the page by posting a form to another site, as payment services want it. */
export function postForm(url: string, fields: Readonly<Record<string, string>>): void {
  // The page may post forms to https only; a payment service without it takes the fields in the address.
  if (url.startsWith("http://")) {
    window.location.assign(`${url}?${new URLSearchParams(fields)}`);
    return;
  }
  const form = document.createElement("form");
  form.method = "post";
  form.action = url;
  for (const [name, value] of Object.entries(fields)) {
    const input = document.createElement("input");
    input.type = "hidden";
    input.name = name;
    input.value = value;
    form.append(input);
  }
  document.body.append(form);
  form.submit();
}
