/** Writes the sections of the documentation that are made from the code; a test compares them. */
import { readFileSync, writeFileSync } from 'node:fs'
import { DOCUMENTS, withSections } from './sections.ts'

for (const path of DOCUMENTS) writeFileSync(path, withSections(readFileSync(path, 'utf8')))
