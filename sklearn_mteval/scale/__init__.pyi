from sklearn_mteval.scale.mapping import map_partitions as map_partitions
from sklearn_mteval.scale.mapping import system_table as system_table
from sklearn_mteval.scale.partitions import Partitions as Partitions
from sklearn_mteval.scale.partitions import collect as collect
from sklearn_mteval.scale.writing import write_partitions as write_partitions
