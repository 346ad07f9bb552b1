/** Checks the built package: it loads both ways with the same exports, and asks for no other package. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

interface Metafile {
  readonly outputs: Record<
    string,
    { readonly imports: { readonly path: string; readonly external?: boolean }[] }
  >
}

const problems: string[] = []

const require = createRequire(import.meta.url)
const esm = Object.keys(await import('preseal')).sort()
const cjs = Object.keys(require('preseal')).sort()
if (esm.join() !== cjs.join())
  problems.push(`import gives ${esm.join(', ')}; require gives ${cjs.join(', ')}`)
if (esm.length === 0) problems.push('nothing is exported')

for (const format of ['esm', 'cjs']) {
  const metafile: Metafile = JSON.parse(readFileSync(`dist/metafile-${format}.json`, 'utf8'))
  for (const [output, { imports }] of Object.entries(metafile.outputs)) {
    for (const { path, external } of imports) if (external) problems.push(`${output} imports ${path}`)
  }
}

for (const declaration of ['dist/index.d.ts', 'dist/index.d.cts']) {
  for (const [, path] of readFileSync(declaration, 'utf8').matchAll(
    /(?:from |import\(|import )['"]([^'"]+)['"]/g,
  )) {
    if (!path?.startsWith('.')) problems.push(`${declaration} refers to ${path}`)
  }
}

if (problems.length > 0) {
  console.error(problems.join('\n'))
  process.exit(1)
}
console.log(`${esm.length} exports, the same by import and require; no other package is needed`)
