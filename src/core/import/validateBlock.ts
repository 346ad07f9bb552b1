import { listRoot } from '../../ethereum/state/trie.ts'
