/** Links to files of exactly what a page shows. */
export function DownloadMenu({ files }: { files: readonly { name: string; href: string }[] }) {
  return (
    <details>
      <summary>Download</summary>
      <div class="menu">
        {files.map(({ name, href }) => (
          <a key={name} href={href}>
            {name}
          </a>
        ))}
      </div>
    </details>
  );
}
