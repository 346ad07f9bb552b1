/** Checks the built package: it loads both ways with the same exports, and asks for no other package. */
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

interface Metafile {
  readonly outputs: Record<
    string,
    { readonly imports: { readonly path: string; readonly external?: boolean }[] }
  >
}

const problems: string[] = []

const manifest: { readonly name: string; readonly exports: Record<string, unknown> } = JSON.parse(
  readFileSync('package.json', 'utf8'),
)
const require = createRequire(import.meta.url)
for (const path of Object.keys(manifest.exports).filter((path) => !path.endsWith('.json'))) {
  const specifier = manifest.name + path.slice(1)
  const esm = Object.keys(await import(specifier)).sort()
  const cjs = Object.keys(require(specifier)).sort()
  if (esm.length === 0) problems.push(`${specifier} exports nothing`)
  if (esm.join() !== cjs.join()) problems.push(`${specifier}: import gives ${esm}; require gives ${cjs}`)
}

for (const format of ['esm', 'cjs']) {
  const metafile: Metafile = JSON.parse(readFileSync(`dist/metafile-${format}.json`, 'utf8'))
  for (const [output, { imports }] of Object.entries(metafile.outputs)) {
    for (const { path, external } of imports) if (external) problems.push(`${output} imports ${path}`)
  }
}

for (const file of readdirSync('dist').filter((file) => /\.d\.c?ts$/.test(file))) {
  const declarations = readFileSync(`dist/${file}`, 'utf8')
  for (const [, path] of declarations.matchAll(/(?:from |import\(|import )['"]([^'"]+)['"]/g)) {
    if (!path?.startsWith('.')) problems.push(`dist/${file} refers to ${path}`)
  }
}

if (problems.length > 0) {
  console.error(problems.join('\n'))
  process.exit(1)
}
console.log('the same exports by import and by require; no other package is needed')
