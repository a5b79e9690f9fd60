// MSL texts include this header, too, but use nothing of it.
#pragma once
