import { splitBlocks } from '../../ethereum/blockEncoding.ts'
