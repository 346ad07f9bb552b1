/** Writes the generated pages of the documentation, which git ignores. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { architecturePage } from './architecture.ts'
import { benchmarksPage } from './benchmarks.ts'
import { compatibilityPage } from './compatibility.ts'
import { decisionsPage } from './decisions.ts'
import { methodPages } from './methodPages.ts'

rmSync('docs/reference/methods', { recursive: true, force: true })
const pages = [
  architecturePage(),
  benchmarksPage(),
  compatibilityPage(),
  decisionsPage(),
  ...(await methodPages()),
]
for (const { path, text } of pages) {
  mkdirSync(dirname(`docs/${path}`), { recursive: true })
  writeFileSync(`docs/${path}`, text)
}
