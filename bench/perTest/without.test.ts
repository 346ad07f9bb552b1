import { test } from 'vitest'
import { TESTS } from './suite.ts'

test.for(TESTS)('%i', () => {})
