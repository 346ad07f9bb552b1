/** Prints how many files and lines `src/` has. */
import { readdirSync, readFileSync } from 'node:fs'

const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
const lines = files.reduce((sum, file) => sum + readFileSync(`src/${file}`, 'utf8').split('\n').length - 1, 0)
console.log(`src/ has ${files.length} files with ${lines} lines`)
