/** Writes the generated sections of the documentation; a test compares them. */
import { readFileSync, writeFileSync } from 'node:fs'
import { DOCUMENTS, withSections } from './sections.ts'

for (const path of DOCUMENTS) writeFileSync(path, withSections(readFileSync(path, 'utf8')))
